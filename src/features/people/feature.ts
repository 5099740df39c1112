// The export and the deletion of everything that is stored about one person.
import type { Feature, PersonalData } from '../../kernel/feature.ts'
import { ownPersonOperations, peopleOperations } from './operations.ts'

export const peopleFeature = {
  operatorOperations: peopleOperations,
  accountOperations: ownPersonOperations,
  personalData: {
    // `changes` is a table of the platform, which is no feature and so cannot declare it.
    keptAtDeletion: [
      { table: 'changes', reason: 'Identifiers of changed rows, for one hour: other processes read them.' },
    ],
  },
  create: ({ personalData }) => ({ context: { personalData } }),
} satisfies Feature

declare module '../../kernel/context.ts' {
  interface Context {
    /** Where all features hold people. */
    personalData: PersonalData
  }
}

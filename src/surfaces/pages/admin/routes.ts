// The console, for administrators. Each section adds its own pages; all of them ask the operations of the operator API.
import type { FastifyInstance } from 'fastify'
import type { Service } from '../../http/service.ts'
import { addAuditPages } from './audit.ts'
import { addImportPages } from './import-routes.ts'
import { addKnowledgePages } from './knowledge-routes.ts'
import { addDirectoryPages, addToolPages } from './listing-routes.ts'
import { addPartnerPages } from './partners-routes.ts'
import { addTaxonomyPages } from './taxonomy-routes.ts'
import { addUserPages } from './users-routes.ts'

export function addConsole(server: FastifyInstance, service: Service): void {
  addToolPages(server, service)
  addDirectoryPages(server, service)
  addTaxonomyPages(server, service)
  addPartnerPages(server, service)
  addKnowledgePages(server, service)
  addUserPages(server, service)
  addImportPages(server, service)
  addAuditPages(server, service)
}

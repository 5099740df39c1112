// The plain public pages: home, a page for each listing, the way out to a tool. All of it from memory.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { findListing } from '../../../features/catalog/reads.ts'
import { detailJson } from '../../../features/catalog/rules.ts'
import type { Directory, Tool } from '../../../features/catalog/schema.ts'
import type { ListingIndex, Snapshot } from '../../../features/catalog/snapshot.ts'
import type { Operation } from '../../../kernel/operation.ts'
import { visitorGate } from '../../http/gate.ts'
import type { Service } from '../../http/service.ts'
import { refuseOtherMethods } from '../../rest/routes.ts'
import { failureAnswer, sendPage, setPageHeaders } from '../answers.ts'
import { addAssets } from '../assets.ts'
import type { Page } from '../document.ts'
import { directoryPage } from './directory.ts'
import { docsPage } from './docs.ts'
import { homePage } from './home.ts'
import { isAdultTool, toolPage } from './tool.ts'
import { visit } from './visit.ts'

type MakePage = (snapshot: Snapshot, slug: string) => Page

const pages = (service: Service, operations: readonly Operation[]): Record<string, MakePage> => ({
  '/docs': () => docsPage(operations, service.publicUrl),
  '/': (snapshot) => homePage(snapshot, service.publicUrl),
  '/tools/:slug': (snapshot, slug) => {
    const tool = detail<Tool>(snapshot.tools, slug, 'Tool')
    return toolPage(tool, isAdultTool(tool, snapshot))
  },
  '/directories/:slug': (snapshot, slug) => directoryPage(detail<Directory>(snapshot.directories, slug, 'Directory')),
})

/** What the catalog API would answer: a private field is not in it and so cannot be on a page. */
const detail = <T>(listings: ListingIndex, slug: string, thing: string): T =>
  JSON.parse(detailJson(findListing(listings, slug, thing)).toString())

const VISIT = '/tools/:slug/visit'

export function addPages(server: FastifyInstance, service: Service, operations: readonly Operation[]): void {
  const made = pages(service, operations)
  server.register(async (scope) => {
    scope.addHook('onRequest', setPageHeaders)
    scope.addHook('onRequest', visitorGate(service))
    scope.setErrorHandler(failureAnswer(service))
    for (const [path, make] of Object.entries(made))
      scope.get(path, (request, reply) =>
        sendPage(request, reply, make(snapshotFor(service, request), slugOf(request))),
      )
    scope.get(VISIT, visit(service))
  })
  for (const path of [...Object.keys(made), VISIT]) refuseOtherMethods(server, service, path, ['GET', 'HEAD'], false)
  addAssets(server, service)
}

const snapshotFor = (service: Service, request: FastifyRequest): Snapshot =>
  service.context(request.caller!).catalog.snapshot()

const slugOf = ({ params }: FastifyRequest): string => (params as { slug?: string }).slug ?? ''

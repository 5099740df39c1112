// Adds everything that answers requests to one HTTP server.
import * as features from '../features.ts'
import { addBilling } from '../surfaces/billing/routes.ts'
import { ADMIN_BASE, REST_BASE } from '../surfaces/http/addresses.ts'
import { addMetrics } from '../surfaces/http/metrics-route.ts'
import { createServer } from '../surfaces/http/server.ts'
import type { Service } from '../surfaces/http/service.ts'
import { addMcp } from '../surfaces/mcp/routes.ts'
import { addOAuth } from '../surfaces/oauth/routes.ts'
import { addAccountPages } from '../surfaces/pages/account/routes.ts'
import { addConsole } from '../surfaces/pages/admin/routes.ts'
import { addDashboard } from '../surfaces/pages/dashboard/routes.ts'
import { addFounderPages } from '../surfaces/pages/founders/routes.ts'
import { failureAnswer } from '../surfaces/pages/kit/sending/answers.ts'
import { addMedia } from '../surfaces/pages/media.ts'
import { addPages } from '../surfaces/pages/site/routes.ts'
import { discovery } from '../surfaces/rest/discovery.ts'
import { addOpenapi } from '../surfaces/rest/openapi.ts'
import { addOperations } from '../surfaces/rest/routes.ts'

/** `mcpLibraryPath`: the path of a second MCP address, for comparison in tests. */
export function createSurfaces(service: Service, limitScale: number, mcpLibraryPath?: string) {
  const server = createServer(service, failureAnswer(service))
  const { restOperations, webhookEvents } = features
  // With FOUNDERS=off the operator API has no operations for products of founders.
  const operatorOperations = features.operatorOperations.filter(
    ({ group }) => service.founders !== 'off' || group !== 'Founders',
  )
  const withDiscovery = [discovery(restOperations, limitScale), ...restOperations]
  addOperations(server, service, REST_BASE, withDiscovery)
  addOpenapi(server, service, { rest: withDiscovery, operator: operatorOperations }, webhookEvents)
  addOperations(server, service, ADMIN_BASE, operatorOperations)
  addPages(server, service, withDiscovery, webhookEvents)
  addAccountPages(
    server,
    service,
    operatorOperations.flatMap(({ tool, summary }) => (tool ? (tool.title ?? summary) : [])),
  )
  addDashboard(server, service)
  if (service.founders !== 'off') addFounderPages(server, service)
  addConsole(server, service, operatorOperations)
  addMedia(server, service)
  addMetrics(server, service)
  addMcp(server, service, { rest: restOperations, operator: operatorOperations }, mcpLibraryPath)
  addOAuth(server, service)
  addBilling(server, service)
  return server
}

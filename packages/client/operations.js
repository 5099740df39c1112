// Made from the operations of the service by scripts/client-operations.ts. Do not edit.

/**
 * Method, path and, for lists in pages, the usual and the highest number of items in a page.
 * @type {Record<string, import('./request.js').Route>}
 */
export const operations = {
  discover: ['GET', '/'],
  searchTools: ['GET', '/tools', 20, 100],
  getTopTools: ['GET', '/tools/top'],
  getTool: ['GET', '/tools/:slug'],
  listCategories: ['GET', '/categories'],
  listTags: ['GET', '/tags'],
  searchDirectories: ['GET', '/directories', 20, 100],
  getDirectory: ['GET', '/directories/:slug'],
  listDirectoryCategories: ['GET', '/directory-categories'],
  getDirectoryEvidence: ['GET', '/directories/:slug/evidence'],
  getToolHealth: ['GET', '/tools/:slug/health'],
  getDirectoryHealth: ['GET', '/directories/:slug/health'],
  getMe: ['GET', '/me'],
  submitAiTool: ['POST', '/submit-ai-tool'],
  listSubmittedTools: ['GET', '/ai-tools', 20, 100],
  correctAiTool: ['PATCH', '/ai-tools?id&slug&website'],
  withdrawAiTool: ['DELETE', '/ai-tools?id&slug&website'],
  getToolStatus: ['GET', '/ai-tools/status'],
  askSupport: ['POST', '/support/ask'],
  getConversation: ['GET', '/support/conversations/:id'],
  listConversations: ['GET', '/support/conversations', 20, 100],
  getWebhookSettings: ['GET', '/webhook'],
  putWebhookSettings: ['PUT', '/webhook'],
  rotateWebhookSecret: ['POST', '/webhook/rotate-secret'],
  listEvents: ['GET', '/events'],
  listWebhookDeliveries: ['GET', '/webhook-deliveries'],
  resendWebhookDelivery: ['POST', '/webhook-deliveries/:id/resend'],
  testWebhook: ['POST', '/webhook/test'],
}

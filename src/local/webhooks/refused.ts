/** Thrown when a webhook is not sent because its address is not allowed. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused';
}

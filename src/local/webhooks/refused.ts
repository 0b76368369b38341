/** A webhook that is not sent because of where it leads. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused';
}

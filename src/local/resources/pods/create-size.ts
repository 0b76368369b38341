import { tooLarge } from '../../contract/problem.ts';
import type { State } from '../../state/state.ts';
import { readableTemplate } from '../templates/resolve.ts';
import type { Bytes } from '../../../core/unit-types.ts';

/** The largest create of a pod: the body, and the request that is made of it and its template (additions 3). */
const MAX_CREATE_BYTES: Bytes = 102_400;

/** Throws the 413 Problem for a create that is too large. The body need not be valid. */
export function checkCreateSize(state: State, body: Uint8Array): void {
  if (body.byteLength > MAX_CREATE_BYTES)
    throw tooLarge(`the request body is larger than ${String(MAX_CREATE_BYTES)} bytes`);
  const parsed = parsedObject(body);
  const { templateId, env } = parsed;
  const template = typeof templateId === 'string' ? readableTemplate(state, templateId) : undefined;
  if (template === undefined) return;
  const { image, args, disk, ports, registry, mounts } = template;
  const filled = { image, args, disk, ports, registry, mounts, ...parsed, env: { ...template.env, ...objectOr(env) } };
  if (Buffer.byteLength(JSON.stringify(filled)) > MAX_CREATE_BYTES)
    throw tooLarge(
      `the request and template ${template.id} together are larger than ${String(MAX_CREATE_BYTES)} bytes`,
    );
}

/** What is not an object is refused later, by the schema. */
const objectOr = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

function parsedObject(body: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    return objectOr(JSON.parse(Buffer.from(body).toString()));
  } catch {
    return {};
  }
}

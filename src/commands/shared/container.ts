import { usage } from '../../core/failure.ts';
import { objectOf, type Json } from '../../core/json.ts';
import { option } from '../../cli/parse/params.ts';
import type { Members } from '../../cli/resource/body.ts';
import { gigabytes, list, text } from '../../output/layout/cells.ts';
import type { Section } from '../../output/view.ts';
import { pickRegistry } from './pickers.ts';
import { pairs } from '../../cli/resource/detail-lines.ts';

/** The container configuration that pods, endpoints and templates share, but for the registry also clusters (specification 2.1 and 9). */
export const CONTAINER_MEMBERS = {
  image: {
    param: option.text('the container image', { metavar: 'IMAGE', ask: { kind: 'text', question: 'Image' } }),
    path: 'image',
  },
  args: { param: option.text("arguments of the container's entrypoint"), path: 'args' },
  disk: { param: option.count('container disk in GB, wiped on restart', 1, { metavar: 'GB' }), path: 'disk' },
  port: { param: option.list('ports to publish, such as 8080/http', { metavar: 'PORT/PROTOCOL' }), path: 'ports' },
  env: {
    param: option.texts('an environment variable; an update replaces them all', { metavar: 'NAME=VALUE' }),
    path: 'env',
    value: environment,
  },
  registry: {
    param: option.text('credential for a private image, by id or name', { metavar: 'REGISTRY', ask: pickRegistry }),
    path: 'registry',
  },
} as const satisfies Members;

/** What the service takes of it. */
export const CONTAINER_ACCEPTS = ['image', 'args', 'disk', 'ports', 'env', 'registry'] as const;

/** `NAME=VALUE` over what the file says, name by name. Fails with usage (2). */
function environment(given: readonly string[], before: Json | undefined): Json {
  const named = given.map((each) => {
    const at = each.indexOf('=');
    if (at < 1) throw usage(`--env takes NAME=VALUE, not ${JSON.stringify(each)}`);
    return [each.slice(0, at), each.slice(at + 1)] as const;
  });
  return { ...objectOf(before), ...Object.fromEntries(named) };
}

/** The container of a pod, an endpoint or a template, as a detail view shows it. */
export const containerSection = (row: Json): Section => ({
  title: 'container',
  lines: [
    { label: 'image', value: text('image')(row) },
    { label: 'args', value: text('args')(row) },
    { label: 'disk', value: gigabytes('disk')(row) },
    { label: 'registry', value: text('registry')(row) },
    { label: 'ports', value: list('ports')(row).join(', ') },
    { label: 'env', value: pairs('env')(row) },
  ],
});

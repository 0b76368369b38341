import { badRequest, notFound, unprocessable } from '../../contract/problem.ts';
import type { State } from '../../state/state.ts';
import type { TemplateRecord } from '../../model/templates/record.ts';

/** The container configuration that templates, pods and endpoints share, as a body carries it (specification 2.1). */
export interface ContainerBody {
  readonly image?: string;
  readonly args?: string;
  readonly disk?: number;
  readonly ports?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly registry?: string | null;
}

/** A template the account may read: its own, or a public one of somebody else's; undefined where there is none. */
export function readableTemplate(state: State, id: string): TemplateRecord | undefined {
  const template = state.templates[id];
  return template?.publisher === undefined || template.public ? template : undefined;
}

/**
 * A body with what it leaves open filled from the template it names, and that template: the body's own members win,
 * `env` is merged key by key (contract rules, Pods: `templateId` is resolved once). Whoever calls takes of the template
 * what is beyond the container: mounts, CUDA versions, what to start.
 * Throws the 404 Problem for an unknown template, and 422 for a serverless one on a pod.
 */
export function resolveTemplate<Body extends ContainerBody & { readonly templateId?: string }>(
  state: State,
  body: Body,
  product: 'pod' | 'endpoint',
): { readonly body: Body; readonly template: TemplateRecord | undefined } {
  if (body.templateId === undefined) return { body, template: undefined };
  const template = readableTemplate(state, body.templateId);
  if (template === undefined) throw notFound(`template ${body.templateId} not found`);
  if (product === 'pod' && template.serverless)
    throw unprocessable([`/templateId: template ${template.id} is for serverless endpoints, not for pods`]);
  const { image, args, disk, ports, registry } = template;
  const filled = { image, args, disk, ports, registry, ...body, env: { ...template.env, ...body.env } };
  return { body: filled, template };
}

/** Throws the 404 Problem where a body names a registry credential that is not there, 400 for a port that is none. */
export function refuseContainer(state: State, body: ContainerBody): void {
  if (typeof body.registry === 'string' && state.registries[body.registry] === undefined)
    throw notFound(`registry ${body.registry} not found`);
  const odd = body.ports?.find((port) => !isPort(port));
  if (odd !== undefined) throw badRequest(`ports: ${JSON.stringify(odd)} is not of the form port/protocol`);
}

function isPort(port: string): boolean {
  const number = /^(\d{1,5})\/(tcp|udp|http)$/.exec(port)?.[1];
  return number !== undefined && Number(number) >= 1 && Number(number) <= 65_535;
}

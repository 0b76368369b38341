import { badRequest, notFound, unprocessable } from '../../contract/problem.ts';
import { argsWith, type CommandBody } from '../../model/command.ts';
import { registries } from '../../model/registries.ts';
import { templates } from '../../model/templates/template-records.ts';
import type { State } from '../../state/state.ts';
import type { ContainerRecord } from '../../model/container.ts';
import type { TemplateRecord } from '../../model/templates/record.ts';

/** The container configuration in the bodies of templates, pods and endpoints (specification 2.1). */
export interface ContainerBody extends CommandBody {
  readonly image?: string;
  readonly disk?: number;
  readonly ports?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly registry?: string | null;
}

/** A template that the account may read: its own, or a public one; undefined when there is none. */
export function readableTemplate(state: State, id: string): TemplateRecord | undefined {
  const template = templates.get(state, id);
  return template?.publisher === undefined || template.public ? template : undefined;
}

/**
 * Fills in what a body does not name from its template, and returns the template too. Members of the body win, `env` is
 * merged key by key, and an array of the command leaves the other one to the template (contract rules, Pods: `templateId` is resolved once). Only the container is filled in: mounts, CUDA
 * versions and what to start are left to the caller. Throws the 404 Problem for an unknown template, and 422 for a
 * serverless template on a pod.
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
  const { image, disk, ports, registry } = template;
  const filled = {
    image,
    disk,
    ports,
    registry,
    ...body,
    // The arrays are in it.
    args: argsWith(template.args, body),
    cmd: undefined,
    entrypoint: undefined,
    env: { ...template.env, ...body.env },
  };
  return { body: filled, template };
}

/** A container after the changes of a body. Throws the 400 Problem when its commands disagree. */
export const containerWith = (current: ContainerRecord, body: ContainerBody): ContainerRecord => ({
  image: body.image ?? current.image,
  args: argsWith(current.args, body),
  disk: body.disk ?? current.disk,
  ports: [...(body.ports ?? current.ports)],
  env: { ...(body.env ?? current.env) },
  registry: body.registry === undefined ? current.registry : body.registry,
});

/** Throws the 404 Problem for an unknown registry credential, and 400 for an invalid port. */
export function checkContainer(state: State, body: ContainerBody): void {
  if (typeof body.registry === 'string' && registries.get(state, body.registry) === undefined)
    throw notFound(`registry ${body.registry} not found`);
  const invalid = body.ports?.find((port) => !isPort(port));
  if (invalid !== undefined) throw badRequest(`ports: ${JSON.stringify(invalid)} is not of the form port/protocol`);
}

function isPort(port: string): boolean {
  const number = /^(\d{1,5})\/(tcp|udp|http)$/.exec(port)?.[1];
  return number !== undefined && Number(number) >= 1 && Number(number) <= 65_535;
}

import type { Json } from '../../../core/json.ts';
import { pageOf, WHOLE_LIST } from '../../http/requests/pages.ts';
import { noContent, operation, reply, type Call, type Operation } from '../../http/call/operation.ts';
import { asBadRequest, badRequest, notFound } from '../../contract/problem.ts';
import { nextId, type State } from '../../state/state.ts';
import { bodyOf } from '../../http/requests/validate.ts';
import { endpoints } from '../../model/endpoints/seed.ts';
import { argsWith, decodeCommand, type CommandBody } from '../../model/command.ts';
import { pods } from '../../model/pods/seed.ts';
import { newTemplate, type TemplateRecord, type TemplateSource } from '../../model/templates/record.ts';
import { templates } from '../../model/templates/template-records.ts';
import { readableTemplate, checkContainer } from './resolve.ts';

type Settings = Omit<TemplateRecord, 'id' | 'createdAt' | 'publisher'>;
type TemplateBody = Partial<Settings> & CommandBody;
type NewTemplate = Pick<Settings, 'name' | 'image'> & TemplateBody;

/** The maximum length of the list of public templates (contract rules, Catalog). */
const MAX_PUBLIC_TEMPLATES = 100;

const documentOf = ({ publisher: _publisher, createdAt: _createdAt, ...shown }: TemplateRecord): Json => ({
  ...shown,
  ...decodeCommand(shown.args),
  mounts: { ...shown.mounts },
});

/** Public templates of the account belong to the source `community`. */
const sourceOf = (template: TemplateRecord): TemplateSource => template.publisher ?? 'community';

function readable(state: State, call: Call): TemplateRecord {
  const template = readableTemplate(state, call.params['id'] ?? '');
  if (template === undefined) throw notFound();
  return template;
}

/** The account's own template. Public templates of other accounts can only be read (contract rules, Templates). */
function own(state: State, call: Call): TemplateRecord {
  const template = readable(state, call);
  if (template.publisher !== undefined) throw notFound();
  return template;
}

/**
 * Throws the 400 Problem while a pod that is not terminated or an endpoint was created from the template: its document names
 * the template (specification 2.1).
 */
function refuseInUse(state: State, { id }: TemplateRecord): void {
  const pod = pods.all(state).find(({ template, life }) => template === id && life.kind !== 'terminated');
  if (pod !== undefined) throw badRequest(`pod ${pod.id} uses the template`);
  const endpoint = endpoints.all(state).find(({ template }) => template === id);
  if (endpoint !== undefined) throw badRequest(`endpoint ${endpoint.id} uses the template`);
}

/** Templates, and the public templates of the catalog. */
export const templateOperations: readonly Operation[] = [
  operation(
    'listTemplates',
    reply(200, (state, call) => {
      const owned = templates.all(state).filter(({ publisher }) => publisher === undefined);
      // The first ones of an account, and those of older states, have no creation time.
      const positioned = owned.map((template) => ({ createdAt: state.since - 1, ...template }));
      const { rows, pagination } = pageOf(state, call, positioned);
      return { templates: rows.map(documentOf), pagination };
    }),
  ),
  operation(
    'createTemplate',
    reply(201, (state, call, now) => {
      const body = bodyOf(call) as NewTemplate;
      asBadRequest(() => {
        checkContainer(state, body);
      });
      const { cmd: _cmd, entrypoint: _entrypoint, ...settings } = { ...body, args: argsWith('', body) };
      return documentOf(
        templates.put(state, { id: nextId(state, 'tpl'), createdAt: now, ...newTemplate(), ...settings }),
      );
    }),
  ),
  operation(
    'getTemplate',
    reply(200, (state, call) => documentOf(readable(state, call))),
  ),
  operation(
    'updateTemplate',
    reply(200, (state, call) => {
      const body = bodyOf(call) as TemplateBody;
      const template = own(state, call);
      asBadRequest(() => {
        checkContainer(state, body);
      });
      const { cmd: _cmd, entrypoint: _entrypoint, ...settings } = { ...body, args: argsWith(template.args, body) };
      return documentOf(Object.assign(template, settings));
    }),
  ),
  operation(
    'deleteTemplate',
    noContent((state, call) => {
      const template = own(state, call);
      refuseInUse(state, template);
      templates.remove(state, template.id);
    }),
  ),
  operation(
    'listPublicTemplates',
    reply(200, (state, { query }) => {
      const source = query.get('source') ?? 'official';
      const listed = templates.all(state).filter((template) => template.public && sourceOf(template) === source);
      return { templates: listed.slice(0, MAX_PUBLIC_TEMPLATES).map(documentOf), pagination: WHOLE_LIST };
    }),
  ),
];

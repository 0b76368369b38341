import type { Json } from '../../../core/json.ts';
import { operation } from '../../contract/operation.ts';
import type { Call, Operation } from '../../frame/operation.ts';
import { badRequest, notFound, Problem } from '../../contract/problem.ts';
import { without } from '../../state/records.ts';
import { nextId, type State } from '../../state/state.ts';
import { bodyOf } from '../../frame/validate.ts';
import type { TemplateRecord, TemplateSource } from '../../model/templates/record.ts';
import { readableTemplate, refuseContainer } from './resolve.ts';

type Settings = Omit<TemplateRecord, 'id' | 'publisher'>;
type NewTemplate = Pick<Settings, 'name' | 'image'> & Partial<Settings>;

/** What holds where a body does not say, as published. */
const DEFAULTS: Omit<Settings, 'name' | 'image'> = {
  args: '',
  disk: 20,
  ports: [],
  env: {},
  registry: null,
  mounts: {},
  serverless: false,
  public: false,
  category: 'NVIDIA',
  startSsh: true,
  startJupyter: true,
  allowedCudaVersions: [],
};

/** The catalog lists at most so many public templates (contract rules, Catalog). */
const MOST_PUBLIC = 100;

const documentOf = ({ publisher: _publisher, ...shown }: TemplateRecord): Json => ({
  ...shown,
  mounts: { ...shown.mounts },
});

const all = (state: State): readonly TemplateRecord[] => Object.values(state.templates);

/** What the account published counts as the community's. */
const sourceOf = (template: TemplateRecord): TemplateSource => template.publisher ?? 'community';

function readable(state: State, call: Call): TemplateRecord {
  const template = readableTemplate(state, call.params['id'] ?? '');
  if (template === undefined) throw notFound();
  return template;
}

/** Public templates of others are read by anyone, and changed by their owner only (contract rules, Templates). */
function own(state: State, call: Call): TemplateRecord {
  const template = readable(state, call);
  if (template.publisher !== undefined) throw notFound();
  return template;
}

/** The contract names no 404 for what a template's body refers to. */
function refuse(state: State, body: Partial<Settings>): void {
  try {
    refuseContainer(state, body);
  } catch (error) {
    throw error instanceof Problem ? badRequest(error.message) : error;
  }
}

/**
 * A pod that is there or an endpoint uses the template it was created from: it keeps no link to what the template says
 * (contract rules, Pods), but it names it (specification 2.1).
 */
function refuseInUse(state: State, { id }: TemplateRecord): void {
  const pod = Object.values(state.pods).find(({ template, life }) => template === id && life.kind !== 'terminated');
  if (pod !== undefined) throw badRequest(`pod ${pod.id} uses the template`);
  const endpoint = Object.values(state.endpoints).find(({ template }) => template === id);
  if (endpoint !== undefined) throw badRequest(`endpoint ${endpoint.id} uses the template`);
}

/** Templates, and the public ones of the catalog. */
export const templateOperations: readonly Operation[] = [
  operation('listTemplates', async (call) => ({
    status: 200,
    body: {
      templates: await call.transact((state) =>
        all(state)
          .filter(({ publisher }) => publisher === undefined)
          .map(documentOf),
      ),
    },
  })),
  operation('createTemplate', async (call) => {
    const body = bodyOf(call) as NewTemplate;
    return {
      status: 201,
      body: await call.transact((state) => {
        refuse(state, body);
        const id = nextId(state, 'tpl');
        const template: TemplateRecord = { id, ...DEFAULTS, ...body };
        state.templates[id] = template;
        return documentOf(template);
      }),
    };
  }),
  operation('getTemplate', async (call) => ({
    status: 200,
    body: await call.transact((state) => documentOf(readable(state, call))),
  })),
  operation('updateTemplate', async (call) => {
    const body = bodyOf(call) as Partial<Settings>;
    return {
      status: 200,
      body: await call.transact((state) => {
        const template = own(state, call);
        refuse(state, body);
        return documentOf(Object.assign(template, body));
      }),
    };
  }),
  operation('deleteTemplate', async (call) => {
    await call.transact((state) => {
      const template = own(state, call);
      refuseInUse(state, template);
      state.templates = without(state.templates, template.id);
    });
    return { status: 204 };
  }),
  operation('listPublicTemplates', async (call) => {
    const source = call.query.get('source') ?? 'official';
    return {
      status: 200,
      body: {
        templates: await call.transact((state) =>
          all(state)
            .filter((template) => template.public && sourceOf(template) === source)
            .slice(0, MOST_PUBLIC)
            .map(documentOf),
        ),
      },
    };
  }),
];

import type { Json } from '../../../core/json.ts';
import { noContent, operation, reply, type Operation } from '../../http/call/operation.ts';
import { badRequest } from '../../contract/problem.ts';
import { nextId, type State } from '../../state/state.ts';
import { bodyOf } from '../../http/requests/validate.ts';
import { endpoints } from '../../model/endpoints/seed.ts';
import { pods } from '../../model/pods/seed.ts';
import { registries, type RegistryRecord } from '../../model/registries.ts';
import { templates } from '../../model/templates/template-records.ts';

const documentOf = ({ id, name }: RegistryRecord): Json => ({ id, name });

/**
 * Removes a credential, and the references of templates and endpoints to it. Throws the 400 Problem while a pod that is not
 * terminated uses it (contract rules, Registries; they do not mention endpoints).
 */
function remove(state: State, { id }: RegistryRecord): void {
  const pod = pods.all(state).find(({ registry, life }) => registry === id && life.kind !== 'terminated');
  if (pod !== undefined) throw badRequest(`pod ${pod.id} uses the registry credential`);
  for (const template of templates.all(state)) if (template.registry === id) template.registry = null;
  for (const { container } of endpoints.all(state)) if (container.registry === id) container.registry = null;
  registries.remove(state, id);
}

/** Registry credentials. */
export const registryOperations: readonly Operation[] = [
  operation(
    'listRegistries',
    reply(200, (state) => ({ registries: registries.all(state).map(documentOf) })),
  ),
  operation(
    'createRegistry',
    reply(201, (state, call) => {
      const { name } = bodyOf(call) as { name: string };
      return documentOf(registries.put(state, { id: nextId(state, 'reg'), name }));
    }),
  ),
  operation(
    'getRegistry',
    reply(200, (state, { params }) => documentOf(registries.find(state, params['id']))),
  ),
  operation(
    'deleteRegistry',
    noContent((state, { params }) => {
      remove(state, registries.find(state, params['id']));
    }),
  ),
];

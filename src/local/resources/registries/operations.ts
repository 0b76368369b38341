import type { Json } from '../../../core/json.ts';
import { operation } from '../../contract/operation.ts';
import type { Call, Operation } from '../../frame/operation.ts';
import { badRequest, notFound } from '../../contract/problem.ts';
import { without } from '../../state/records.ts';
import { nextId, type State } from '../../state/state.ts';
import { bodyOf } from '../../frame/validate.ts';
import type { RegistryRecord } from '../../model/registries.ts';

const documentOf = ({ id, name }: RegistryRecord): Json => ({ id, name });

function find(state: State, call: Call): RegistryRecord {
  const id = call.params['id'] ?? '';
  const registry = state.registries[id];
  if (registry === undefined) throw notFound();
  return registry;
}

/**
 * Removes a credential. Throws the 400 Problem while a pod that is there uses it; templates and endpoints that do lose
 * the reference (contract rules, Registries; of endpoints they say nothing).
 */
function remove(state: State, { id }: RegistryRecord): void {
  const pod = Object.values(state.pods).find(({ registry, life }) => registry === id && life.kind !== 'terminated');
  if (pod !== undefined) throw badRequest(`pod ${pod.id} uses the registry credential`);
  for (const template of Object.values(state.templates)) if (template.registry === id) template.registry = null;
  for (const { container } of Object.values(state.endpoints)) if (container.registry === id) container.registry = null;
  state.registries = without(state.registries, id);
}

/** Registry credentials. */
export const registryOperations: readonly Operation[] = [
  operation('listRegistries', async (call) => ({
    status: 200,
    body: { registries: await call.transact((state) => Object.values(state.registries).map(documentOf)) },
  })),
  operation('createRegistry', async (call) => {
    const { name } = bodyOf(call) as { name: string };
    return {
      status: 201,
      body: await call.transact((state) => {
        const registry: RegistryRecord = { id: nextId(state, 'reg'), name };
        state.registries[registry.id] = registry;
        return documentOf(registry);
      }),
    };
  }),
  operation('getRegistry', async (call) => ({
    status: 200,
    body: await call.transact((state) => documentOf(find(state, call))),
  })),
  operation('deleteRegistry', async (call) => {
    await call.transact((state) => {
      remove(state, find(state, call));
    });
    return { status: 204 };
  }),
];

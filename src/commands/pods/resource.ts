import { type Json, memberAt } from '../../core/json.ts';
import { PODS as COLLECTION, REGISTRIES, TEMPLATES, VOLUMES } from '../../cli/resource/collections.ts';
import { type Resource, resource } from '../../cli/resource/targets.ts';
import { POD_TABLE } from './fields.ts';

export const PODS: Resource<'pod'> = resource(COLLECTION, POD_TABLE);

export const isLocked = (pod: Json): boolean => memberAt(pod, 'locked') === true;

/** Ids for which names work too (contract rules, Pods). */
export const REFERENCES = {
  templateId: TEMPLATES,
  registry: REGISTRIES,
  'mounts.network.0.volumeId': VOLUMES,
} as const;

import { REGISTRIES, TEMPLATES, VOLUMES } from '../collections.ts';

/** Members of the body of a pod that hold the id of something else, where a name works too (contract rules, Pods). */
export const CREATE_REFERENCES = {
  templateId: TEMPLATES,
  registry: REGISTRIES,
  'mounts.network.0.volumeId': VOLUMES,
} as const;

import * as collections from '../../cli/resource/collections.ts';
import { REGISTRIES, TEMPLATES, VOLUMES } from '../../cli/resource/collections.ts';
import { type Resource, resourceOf } from '../../cli/resource/read.ts';
import { POD_TABLE, podView } from './fields.ts';
import { isObject, type Json, memberAt } from '../../core/json.ts';

export const PODS: Resource<'pod'> = { ...resourceOf(collections.PODS, POD_TABLE), view: podView };

/** Persistent mounts are deprecated (specification 2.2). */
export const podNotes = (row: Json): readonly string[] =>
  isObject(memberAt(row, 'mounts.persistent'))
    ? [
        'This pod uses a persistent mount, which is deprecated: its data does not survive a failure of the host. New pods take a network volume.',
      ]
    : [];

/** Ids for which names work too (contract rules, Pods). */
export const CREATE_REFERENCES = {
  templateId: TEMPLATES,
  registry: REGISTRIES,
  'mounts.network.0.volumeId': VOLUMES,
} as const;

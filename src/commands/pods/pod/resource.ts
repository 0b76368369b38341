import { isObject, memberAt, type Json } from '../../../core/json.ts';
import { resourceOf, type Resource } from '../../../cli/resource/read.ts';
import * as collections from '../../shared/collections.ts';
import { POD_TABLE, podView } from './fields.ts';

export const PODS: Resource<'pod'> = { ...resourceOf(collections.PODS, POD_TABLE), view: podView };

/** Says that a persistent mount is deprecated (specification 2.2). */
export const podNotes = (row: Json): readonly string[] =>
  isObject(memberAt(row, 'mounts.persistent'))
    ? [
        'This pod uses a persistent mount, which is deprecated: its data does not survive a failure of the host. New pods take a network volume.',
      ]
    : [];

import { CLUSTERS as COLLECTION, PODS } from '../../cli/resource/collections.ts';
import { get, list, noun } from '../../cli/resource/noun.ts';
import { remove, update } from '../../cli/resource/noun-writes.ts';
import { resource } from '../../cli/resource/targets.ts';
import { POD_TABLE } from '../pods/fields.ts';
import { create } from './create.ts';
import { CLUSTERS, memberView } from './fields.ts';

const MEMBERS = { ...resource({ ...PODS, path: ['pods'] }, POD_TABLE), view: memberView };

export const clusters = noun('pods that work together on a fast network', {
  list: list(CLUSTERS, { examples: [['berth clusters list', 'with the state of their pods']] }),
  get: get(CLUSTERS, {
    watch: true,
    examples: [
      ['berth clusters get train', 'by its name'],
      ['berth clusters get train --watch', 'again every 2 seconds until Ctrl-C'],
    ],
  }),
  create,
  update: update(CLUSTERS, {
    summary: 'rename a cluster',
    examples: [['berth clusters update research --name research-2', 'rename it']],
  }),
  delete: remove(CLUSTERS, {
    summary: 'delete clusters and terminate their pods',
    loses: 'its pods and all data in them',
    examples: [['berth clusters delete research-2 --yes', 'in a script']],
  }),
  pods: list(MEMBERS, {
    of: COLLECTION,
    summary: 'list the pods of a cluster',
    watch: true,
    examples: [
      ['berth clusters pods train', 'their state, rank and address'],
      ['berth clusters pods train --watch', 'again every 2 seconds until Ctrl-C'],
    ],
  }),
});

import { CREATED_AT, NAME_FLAG } from '../cli/container/container-fields.ts';
import { defineTable, type Fields } from '../cli/resource/fields.ts';
import { get, list, noun } from '../cli/resource/noun.ts';
import { create, remove } from '../cli/resource/noun-writes.ts';
import { resource } from '../cli/resource/targets.ts';

const TABLE = defineTable({
  noun: ['global volume', 'global volumes'],
  fields: {
    id: { path: 'id' },
    name: { path: 'name', create: NAME_FLAG },
    createdAt: CREATED_AT,
    createdByUserId: { path: 'createdByUserId', label: 'by' },
  } satisfies Fields,
  table: ['id', 'name', 'createdAt'],
  wide: ['createdByUserId'],
});

const GLOBAL_VOLUMES = resource(
  { noun: 'global volume', path: ['v2', 'global-volumes'], member: 'globalVolumes', schema: 'GlobalVolume' },
  TABLE,
);

export const globalVolumes = noun('volumes for every data center', {
  list: list(GLOBAL_VOLUMES, { examples: [['berth global-volumes list', 'with the age of each']] }),
  get: get(GLOBAL_VOLUMES, { examples: [['berth global-volumes get weights', 'by its name']] }),
  create: create(GLOBAL_VOLUMES, {
    details:
      'It grows with its data; requests to it are billed. Endpoints mount it with --set globalVolumes=\'["ID"]\'.',
    needed: ['name'],
    examples: [['berth global-volumes create models', 'without a size or a data center']],
  }),
  delete: remove(GLOBAL_VOLUMES, {
    summary: 'delete global volumes and the data on them',
    loses: 'all data on it',
    typed: () => true,
    examples: [['berth global-volumes delete models --yes', 'in a script']],
  }),
});

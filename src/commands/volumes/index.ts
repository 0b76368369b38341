import { defineGroup } from '../../cli/command.ts';
import { getCommand, listCommand, type Resource } from '../../cli/resource/read.ts';
import { create } from './create.ts';
import { volumeView } from './view.ts';

const VOLUMES: Resource = {
  noun: 'volume',
  path: ['v2', 'network-volumes'],
  member: 'networkVolumes',
  view: volumeView,
};

export const volumes = defineGroup('network volumes', {
  list: listCommand(VOLUMES, { summary: 'list network volumes' }),
  get: getCommand(VOLUMES, { summary: 'show a network volume' }),
  create,
});

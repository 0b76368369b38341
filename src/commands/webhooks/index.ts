import { defineGroup } from '../../cli/model/command.ts';
import { list } from './list.ts';
import { listen } from './listen.ts';
import { reconcile } from './reconcile.ts';
import { replay } from './replay.ts';

export const webhooks = defineGroup('receive, keep and post webhooks of jobs while you develop', {
  listen,
  list,
  replay,
  reconcile,
});

import { defineGroup } from '../../cli/model/command.ts';
import { cat } from './cat.ts';
import { cp } from './cp.ts';
import { du } from './du.ts';
import { ls } from './ls.ts';
import { mv } from './mv.ts';
import { rm } from './rm.ts';
import { sync } from './sync.ts';

export const files = defineGroup(
  'files on network volumes',
  { ls, du, cat, cp, mv, sync, rm },
  'A place on a volume is VOLUME:PATH; VOLUME is the name or the id of a network volume. Nothing of a pod is needed.',
);

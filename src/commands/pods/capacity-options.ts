import { dollarsOf, flagName, isGiven, option, type Params, type ValuesOf } from '../../cli/model/params.ts';
import { usage } from '../../core/failure.ts';
import { type JsonObject, memberAt, numberAt, stringAt, stringOf, stringsOf } from '../../core/json.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { formatDuration } from '../../core/units.ts';
import type { Wanted } from '../../create/candidates.ts';
import { checkKey } from '../../create/key.ts';
import { LEAST_MS } from '../../create/wait.ts';

export const PLACEMENT_OPTIONS = {
  prefer: option.choice('which candidate first (default order, as given)', ['order', 'price']),
  maxPrice: option.text('what the pod may cost an hour, with all its GPUs; above it none is kept', {
    metavar: 'DOLLARS',
  }),
  untilAvailable: option.durationWithUnit('wait so long until a candidate has room'),
  startTimeout: option.durationWithUnit('terminate it if it is not RUNNING so long after its creation; then the next'),
  idempotencyKey: option.text('a pod with this key is returned and not made again', { metavar: 'WORD' }),
} as const satisfies Params;

export type PlacementValues = ValuesOf<typeof PLACEMENT_OPTIONS> & { readonly gpu: readonly string[] };

export interface Plan {
  /** Undefined: the request is sent as it is. */
  readonly wanted: Wanted | undefined;
  /** Undefined: try once. */
  readonly waitMs: Milliseconds | undefined;
  /** Until RUNNING; undefined: no limit. */
  readonly startMs: Milliseconds | undefined;
  readonly key: string | undefined;
}

const OF_GPUS = ['prefer', 'maxPrice', 'untilAvailable', 'startTimeout'] as const;

/** Undefined for an ordinary create. Usage (2). */
export function planOf(values: PlacementValues, body: JsonObject): Plan | undefined {
  const { idempotencyKey: key, untilAvailable, startTimeout, prefer = 'order' } = values;
  if (key !== undefined) checkKey(key);
  const gpu = stringAt(body, 'gpu.id');
  const given = OF_GPUS.filter((flag) => isGiven(values[flag]));
  const [first] = given;
  if (first !== undefined && gpu === undefined)
    throw usage(`${flagName(first)} is for pods with a GPU`, 'Name one or several with --gpu.');
  if (values.gpu.length < 2 && first === undefined)
    return key === undefined ? undefined : { wanted: undefined, waitMs: undefined, startMs: undefined, key };
  if (untilAvailable !== undefined && untilAvailable < LEAST_MS)
    throw usage(`--until-available is at least ${formatDuration(LEAST_MS)}`);
  const wanted: Wanted = {
    gpus: values.gpu.length > 0 ? values.gpu : [gpu ?? ''],
    dataCenters: stringsOf(memberAt(body, 'dataCenterIds')),
    count: numberAt(body, 'gpu.count') ?? 1,
    cloud: stringOf(body['cloud']) === 'COMMUNITY' ? 'COMMUNITY' : 'SECURE',
    maxPrice: dollarsOf('maxPrice', values.maxPrice),
    prefer,
  };
  return { wanted, waitMs: untilAvailable, startMs: startTimeout, key };
}

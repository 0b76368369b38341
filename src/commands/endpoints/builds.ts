import { EXIT, type ExitCode } from '../../core/exit-codes.ts';
import { readRequest } from '../../core/api.ts';
import type { Json } from '../../core/json.ts';
import { defineCommand, endedWhen } from '../../cli/model/command.ts';
import { arg, option } from '../../cli/model/params.ts';
import { defineTable, type Fields } from '../../cli/resource/fields.ts';
import { list, noun } from '../../cli/resource/noun.ts';
import { endpointArgument, rowSchema } from '../../cli/resource/arguments.ts';
import { resource, withId } from '../../cli/resource/targets.ts';
import { text } from '../../output/cells.ts';
import { answerResult, type Result, rowsOf } from '../../output/view.ts';
import { ENDPOINTS } from '../../cli/resource/collections.ts';

const SHORT_COMMIT = 8;

/** The statuses of builds (additions 9). */
const FAILED = ['FAILED', 'TEST_FAILED'];
const FINAL = ['COMPLETED', 'CANCELLED', ...FAILED];
const BUILD_STATUSES = ['PENDING', 'BUILDING', 'UPLOADING', 'TESTING', ...FINAL];

/** An unknown status may still change. */
const isFinal = (build: Json): boolean => FINAL.includes(text(build, 'status'));

const BUILD_FIELDS = {
  id: { path: 'id' },
  status: { path: 'status', type: 'status', values: BUILD_STATUSES },
  error: { path: 'error' },
  branch: { path: 'branch' },
  commit: {
    path: 'commitHash',
    label: 'commit',
    column: { show: (row: Json) => text(row, 'commitHash').slice(0, SHORT_COMMIT) },
  },
  message: { path: 'commitMessage', label: 'message' },
  committed: { path: 'commitDate', type: 'time', label: 'committed' },
  startedAt: { path: 'startedAt', type: 'time', label: 'started' },
  completedAt: { path: 'completedAt', type: 'time', label: 'completed' },
  image: { path: 'imageName', label: 'image' },
} as const satisfies Fields;

const DETAIL = Object.keys(BUILD_FIELDS) as readonly (keyof typeof BUILD_FIELDS)[];

export const BUILD_TABLE = defineTable({
  noun: ['build', 'builds'],
  fields: BUILD_FIELDS,
  table: ['id', 'status', 'branch', 'commit', 'message', 'startedAt'],
  wide: ['completedAt', 'image', 'error'],
  detail: [{ fields: DETAIL }],
});

const BUILDS = resource({ noun: 'build', path: ['builds'], member: 'builds', schema: 'Build' }, BUILD_TABLE);

const isLive = (result: Result): boolean =>
  (result.kind === 'one' || result.kind === 'many') && !rowsOf(result).every(isFinal);

const listed = list(BUILDS, {
  of: ENDPOINTS,
  summary: 'list the builds of an endpoint, the newest first',
  watch: { ended: (result, first) => isLive(first) && !isLive(result) },
  examples: [
    ['berth endpoints builds list echo --watch', 'follow them until the last one ends'],
    ['berth endpoints builds list echo --limit 1 --json', 'the newest one'],
  ],
});

const get = defineCommand({
  output: () => rowSchema(BUILDS),
  fields: BUILDS.view.paths,
  summary: 'show a build of an endpoint: its commit, its image and why it failed',
  args: { endpoint: endpointArgument(), build: arg.text('build id') },
  options: { exitStatus: option.on('end 10 when the build has failed, 11 when it was cancelled') },
  exits: [EXIT.jobFailed, EXIT.jobCancelled],
  watch: endedWhen(isFinal),
  examples: [
    ['berth endpoints builds get echo build-7 --watch', 'follow it until it ends'],
    ['berth endpoints builds get echo build-7 --json --jq .error', 'why it failed'],
  ],
  run: async (ctx, { endpoint, build, exitStatus }) => {
    const answer = await withId(ctx, ENDPOINTS, endpoint, (id) =>
      ctx.api.send(readRequest([...ENDPOINTS.path, id, ...BUILDS.path, build], { id: build })),
    );
    const row = answer.value ?? null;
    return { ...answerResult(BUILDS.view, answer), exit: exitStatus ? outcomeOf(row) : undefined };
  },
});

function outcomeOf(build: Json): ExitCode {
  const status = text(build, 'status');
  if (FAILED.includes(status)) return EXIT.jobFailed;
  return status === 'CANCELLED' ? EXIT.jobCancelled : EXIT.done;
}

/** Built from a repository (additions 9). Nothing here changes one. */
export const builds = noun('images that the service builds for an endpoint', { list: listed, get });

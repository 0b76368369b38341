import { describe, expect, it, test } from 'vitest';
import { berth } from '../../../support/worlds/run-berth.ts';
import { works, expectNoKeyNoStack } from '../../../support/worlds/expect-run.ts';
import { json } from '../../../support/servers/scripted-server.ts';

const ids = async (...flags: readonly string[]): Promise<readonly string[]> => {
  const ran = await berth(['--local', 'pods', 'list', '-o', 'id', ...flags]);
  expectNoKeyNoStack(ran);
  expect(ran.code, ran.err).toBe(0);
  return ran.out.split('\n').filter((line) => line !== '');
};

describe('pods list', () => {
  test.each<[string, readonly string[]]>([
    ['--status exited', ['pod-stopped-cpu', 'pod-stopped']],
    ['--status ERROR,PROVISIONING --status STARTING', ['pod-provisioning', 'pod-starting', 'pod-broken']],
    ['--cloud community', ['pod-notebook']],
    ['--data-center US-EAST-1', ['pod-stopped']],
    ['--gpu gpu-80g,GPU-16G', ['pod-provisioning', 'pod-train']],
    ['--older-than 8d', ['pod-stopped', 'pod-web']],
    ['--gpu GPU-16G --status RUNNING', []],
  ])('%s', async (flags, expected) => {
    expect(await ids(...flags.split(' '))).toEqual(expected);
  });

  it('asks for pods of clusters only with --all', async () => {
    const { server } = await works(['pods', 'list', '--all'], [json({ pods: [] })]);
    expect(server.seen.map(({ url }) => url)).toEqual(['/v2/pods?includeClusterPods=true']);
  });

  it('prints the unchanged document if no pod was filtered out, and filters pods that lack members', async () => {
    const document = '{"pods":[{"id":"a","n":1.0},{"id":"b","createdAt":"?"}]}';
    const all = await works(['pods', 'list', '--json'], [json(document)]);
    expect(all.out).toContain('"n": 1.0');
    const none = await works(['pods', 'list', '--json', '--newer-than', '1h'], [json(document)]);
    expect(none.out).toBe('[]\n');
  });
});

import { describe, expect, test } from 'vitest';
import { json, pointedAt, problem, routed, serve } from '../../../support/servers/scripted-server.ts';
import { createAccount } from '../../../support/worlds/local-account.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

describe('a dry run of a delete', () => {
  test('of what is not there ends as the command would (4)', async () => {
    const { code, out, err } = await createAccount()('pods terminate nothing --dry-run');
    expect([code, out]).toEqual([4, '']);
    expect(err).toContain('No pod has this id or name');
  });

  test('prints the request with the id in place of the name', async () => {
    const { code, out } = await createAccount()('pods terminate train-llm --dry-run');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      method: 'DELETE',
      url: expect.stringMatching(/\/v2\/pods\/pod-train$/) as string,
    });
  });

  test('is refused for what is protected (2)', async () => {
    const account = createAccount();
    expect((await account('pods terminate pod-web --dry-run')).err).toContain('is locked');
    expect((await account('pods terminate pod-web --dry-run')).code).toBe(2);
    expect((await account('pods terminate pod-web --dry-run --force')).code).toBe(0);
  });

  test('on a terminal shows what would be asked, with what it saves, and JSON with --json', async () => {
    const account = createAccount();
    const { code, out, err } = await account('pods terminate pod-train --dry-run', { tty: true });
    expect([code, out]).toEqual([0, '']);
    expect(err).toMatch(/This affects 1 pod, for good[^]*It saves \$4\.78 an hour\.[^]*nothing was sent/);
    expect((await account('pods terminate pod-train --dry-run --json', { tty: true })).out).toContain(
      '"method": "DELETE"',
    );
    expect((await account('pods get pod-train')).code).toBe(0);
  });

  test('prints the request also where the service cannot be read', async () => {
    const server = await serve([routed({ 'GET /v2/pods': json({ pods: [] }) }, problem(403, 'not with this key'))]);
    const { code, out } = await berth(['pods', 'terminate', 'p1', '--dry-run'], { env: pointedAt(server.url) });
    expect(code).toBe(0);
    expect(out).toContain('/v2/pods/p1');
    expect(server.seen.every(({ method }) => method === 'GET')).toBe(true);
  });
});

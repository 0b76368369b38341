import { describe, expect, it } from 'vitest';
import { json, KEY, serve } from '../../../support/servers/scripted-server.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

const LOCAL = { env: { BERTH_LOCAL: '1' } };

describe('--fields with a wrong name', () => {
  it.each([
    [['pods', 'list'], 'nam', 'Did you mean name?'],
    [['pods', 'get', 'pod-train'], 'runtime.uptimee', 'Did you mean runtime.uptime?'],
    [['catalog', 'gpus', '--json'], 'pol', 'Did you mean pool?'],
    [['pods', 'list'], 'zzzzzzzz', 'There are id, name'],
  ])('%j --fields %s ends 2 and prints nothing', async (argv, fields, hint) => {
    const { code, out, err } = await berth([...argv, '--fields', fields], LOCAL);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(hint);
  });

  it.each([
    [['pods', 'list'], 'id,runtime.uptime'],
    [['pods', 'list'], 'cluster.rank'],
    [['volumes', 'list'], 'id,size'],
  ])('%j --fields %s is right, even where no row has the member', async (argv, fields) => {
    expect(await berth([...argv, '--fields', fields], LOCAL)).toMatchObject({ code: 0, err: '' });
  });

  it('accepts a member that only a newer service sends', async () => {
    const { url } = await serve([json({ pods: [{ id: 'a', brandNew: { inner: 7 } }] })]);
    const env = { BERTH_BASE_URL: url, BERTH_API_KEY: KEY };
    const { code, out } = await berth(['pods', 'list', '--fields', 'brandNew.inner', '-o', 'jsonl'], { env });
    expect({ code, out }).toEqual({ code: 0, out: '{"brandNew":{"inner":7}}\n' });
  });

  it('is refused by a write before anything is sent', async () => {
    const { url, seen } = await serve([json({ id: 'a' })]);
    const env = { BERTH_BASE_URL: url, BERTH_API_KEY: KEY };
    const { code, err } = await berth(['pods', 'update', 'a', '--name', 'b', '--fields', 'nam'], { env });
    expect(code).toBe(2);
    expect(err).toContain('Did you mean name?');
    expect(seen).toEqual([]);
  });

  it('does not withhold the outcome of a wait', async () => {
    const { code, out } = await berth(
      ['jobs', 'run', 'fail', '--input', '{}', '--wait', '--json', '--fields', 'statsu'],
      LOCAL,
    );
    expect(code).toBe(10);
    expect(out).not.toBe('');
  });
});

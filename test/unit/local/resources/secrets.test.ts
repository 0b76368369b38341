import { describe, expect, it } from 'vitest';
import { bootEnvironment } from '../../../../src/local/model/records.ts';
import { createState } from '../../../../src/local/state/state.ts';
import { memoryStore } from '../../../../src/local/state/store.ts';
import { localFixture, POD_BODY } from '../../../support/local/service-fixture.ts';

const MARKER = 'marker-of-a-value-7f3a';
const SECRETS = '/v2/account/secrets';

describe('secrets (additions 7)', () => {
  it('no answer has the value: not of a secret, of what refers to it, of a refusal, of the contract', async () => {
    const { send } = localFixture();
    const env = { TOKEN: '{{ BERTH_SECRET_hf }}' };
    const answers = [
      await send('POST', SECRETS, { name: 'hf', value: MARKER }),
      await send('POST', SECRETS, { name: 'HF', value: MARKER }),
      await send('POST', SECRETS, { name: 'bad name', value: MARKER, x: MARKER }),
      await send('POST', SECRETS, `{"name":"a","value":"${MARKER}`),
      await send('PATCH', `${SECRETS}/sec-000001`, { value: MARKER, name: 'x' }),
      await send('PATCH', `${SECRETS}/sec-000001`, { value: `${MARKER}2` }),
      await send('POST', '/v2/pods', { ...POD_BODY, env }),
      await send('PATCH', '/v2/serverless/echo', { env }),
      await send('GET', '/v2/pods'),
      await send('GET', '/v2/serverless'),
      await send('GET', SECRETS),
      await send('GET', '/local/status'),
      await send('GET', '/v2/openapi.json'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([
      201, 409, 422, 400, 422, 200, 201, 200, 200, 200, 200, 200, 200,
    ]);
    for (const { text } of answers) expect(text).not.toContain(MARKER);
    expect(answers[6]?.body['env']).toEqual(env);
  });

  it('a name is found in any case; a description can be cleared; a new value shows in its date', async () => {
    const { send, clock } = localFixture();
    await send('POST', SECRETS, { name: 'hf-token', value: 'v', description: 'd' });
    const { secrets } = (await send('GET', `${SECRETS}?name=HF-Token`)).body as { secrets: object[] };
    expect(secrets).toMatchObject([{ name: 'hf-token', description: 'd', valueLastUpdatedAt: null }]);
    expect((await send('GET', `${SECRETS}?name=hf`)).body).toEqual({ secrets: [] });
    clock.advance(1000);
    expect((await send('PATCH', `${SECRETS}/sec-000001`, { description: '' })).body).toMatchObject({
      description: null,
      valueLastUpdatedAt: null,
    });
    const { body } = await send('PATCH', `${SECRETS}/sec-000001`, { value: 'w' });
    expect(Date.parse(String(body['valueLastUpdatedAt']))).toBeGreaterThan(Date.parse(String(body['createdAt'])));
  });

  it('the prefix of placeholders cannot begin a name, whatever its case', async () => {
    const { send } = localFixture({ secretPrefix: 'CLOUD' });
    expect((await send('POST', SECRETS, { name: 'cLoUd_x', value: 'v' })).status).toBe(400);
    expect((await send('POST', SECRETS, { name: 'berth_x', value: 'v' })).status).toBe(201);
  });
});

describe('placeholders at the start of a container', () => {
  const state = createState(0);
  const { send } = localFixture({ store: memoryStore(state) });

  it('are replaced in exactly the form that they have, and what names no secret stays', async () => {
    await send('POST', SECRETS, { name: 'a', value: MARKER });
    const env = {
      EXACT: '{{ BERTH_SECRET_a }}',
      SPACING: '{{BERTH_SECRET_a}}',
      INSIDE: 'x{{ BERTH_SECRET_a }}',
      UNKNOWN: '{{ BERTH_SECRET_b }}',
      CASE: '{{ BERTH_SECRET_A }}',
    };
    const booted = bootEnvironment(state, 'BERTH', env);
    expect(booted.variables).toEqual({ ...env, EXACT: MARKER });
    expect([booted.fromSecrets, booted.unresolved]).toEqual([['EXACT'], ['UNKNOWN', 'CASE']]);
    await send('PATCH', `${SECRETS}/sec-000001`, { value: 'new' });
    expect(bootEnvironment(state, 'BERTH', env).variables['EXACT']).toBe('new');
    await send('DELETE', `${SECRETS}/sec-000001`);
    expect(bootEnvironment(state, 'BERTH', env).variables).toEqual(env);
  });
});

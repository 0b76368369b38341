import { describe, expect, test } from 'vitest';
import { createAccount, local, type Account } from '../../../support/worlds/local-account.ts';

const POD =
  'pods create --name p --image a/b --gpu GPU-80G --env HF_TOKEN=hf-value --env apiKey=api-value --env EPOCHS=3' +
  " --env EMPTY_SECRET= --env LICENSE=license-value --env MAX_TOKENS=4096 --env 'DB_PASSWORD={{ PFX_SECRET_db }}'";
const TERMINAL = { tty: true, columns: 200, env: { NO_COLOR: '1' } };
const VALUES = /hf-value|api-value/;

/** An account with the pod of `POD`, and the pod's id. */
async function withPod(): Promise<{ readonly account: Account; readonly id: string }> {
  const account = createAccount();
  return { account, id: await local(account, `${POD} -o id`) };
}

describe('values of `env` whose names say secret', () => {
  test('are hidden in a detail view; the others, empty values and placeholders of secrets are not', async () => {
    const { account, id } = await withPod();
    const { out } = await account(`pods get ${id}`, TERMINAL);
    expect(out).not.toMatch(VALUES);
    for (const pair of ['HF_TOKEN=***', 'apiKey=***', 'EPOCHS=3', 'MAX_TOKENS=4096', 'LICENSE=license-value'])
      expect(out).toContain(pair);
    expect(out).toContain('DB_PASSWORD={{ PFX_SECRET_db }}');
    expect(out).toMatch(/EMPTY_SECRET=\s/);
    const shown = await account(`pods get ${id} --show-secrets`, TERMINAL);
    expect(shown.out).toContain('HF_TOKEN=hf-value');
  });

  test('are told by words in the names, and by those that the user lists', async () => {
    const account = createAccount();
    const secret = 'PGPASS DBPASS SMTP_PASS MONKEY_KEY GITHUB_PAT DB_PWD BASIC_AUTH SESSION_COOKIES SENTRY_DSN TLS_PEM';
    const plain = 'PASSENGERS PATHS PWD OLDPWD AUTHOR COMPAT pub-key CLÉ_API имя';
    const names = `${secret} SLACK_WEBHOOK_URL passwordSalt ${plain}`.split(' ');
    const flags = names.map((name) => `--env ${name}=of-${name}.`).join(' ');
    const id = await local(account, `pods create --name p --image a/b --gpu GPU-80G ${flags} -o id`);
    const shownNames = async (env = {}) => {
      const { out } = await account(`pods get ${id}`, { env });
      return names.filter((name) => out.includes(`of-${name}.`)).join(' ');
    };
    expect(await shownNames()).toBe(plain);
    const listed = { BERTH_SECRET_NAMES: 'paths,pub_key,clé' };
    expect(await shownNames(listed)).toBe('PASSENGERS PWD OLDPWD AUTHOR COMPAT имя');
  });

  test('are hidden in the tables of a pipe too, which says nothing about it', async () => {
    const { account, id } = await withPod();
    const { out, err } = await account(`pods get ${id}`);
    expect([out.includes('HF_TOKEN=***'), VALUES.test(out), err]).toEqual([true, false, '']);
    for (const list of ['pods list --fields id,env', 'pods list --fields id,env.HF_TOKEN']) {
      const fields = await account(list);
      expect([fields.out.includes('***'), VALUES.test(fields.out), fields.err]).toEqual([true, false, '']);
    }
  });

  test('are hidden in CSV, also with --fields env; --show-secrets shows them', async () => {
    const { account, id } = await withPod();
    for (const line of [
      `pods get ${id} -o csv`,
      'pods list -o csv',
      'pods list -o csv --fields id,env',
      'pods list -o csv --fields id,env.HF_TOKEN',
      `pods get ${id} -o csv --fields env.HF_TOKEN`,
    ])
      for (const options of [{}, TERMINAL]) {
        const { out } = await account(line, options);
        expect([out.includes('***'), VALUES.test(out)], out).toEqual([true, false]);
        expect((await account(`${line} --show-secrets`, options)).out).toContain('hf-value');
      }
  });

  test('the password of an address is hidden in every other variable, and the rest of the address is shown', async () => {
    const account = createAccount();
    const env = '--env DATABASE_URL=postgres://u:p@ss-word@db.example/x --env SITE=https://example.com/a:b@c';
    const create = `pods create --name q --image a/b --gpu GPU-80G ${env} --env REDIS=rediss://:p@ss-word@h`;
    const { out } = await account(`pods get ${await local(account, `${create} -o id`)}`, TERMINAL);
    expect(out).not.toContain('ss-word');
    for (const shown of ['postgres://u:***@db.example/x', 'https://example.com/a:b@c', 'rediss://:***@h'])
      expect(out).toContain(shown);
  });

  test('are hidden in a command, in tables, changes and notes; JSON has them', async () => {
    const account = createAccount();
    const words = [
      ...['--port', '8000', '--api-key', 'secret-1', '--password=secret-2', '--max-tokens', '4096', '-v', '--auth'],
      ...[
        '--db',
        'postgres://u:secret-3@h/x',
        '--dsn=secret-4',
        'sh',
        '-c',
        'run --token "secret 6" --n 1; HF_TOKEN=secret-5 x',
      ],
    ];
    const quoted = words.map((word) => `'${word}'`).join(' ');
    const created = `pods create --name q --image a/b --gpu GPU-80G -- ${quoted}`;
    const id = await local(account, created.replace(' -- ', ' -o id -- '));
    const shown = await account(`pods get ${id}`, TERMINAL);
    expect(shown.out).not.toContain('secret');
    for (const text of ['--port 8000', '--max-tokens 4096', 'postgres://u:***@h/x', 'run --token *** --n 1'])
      expect(shown.out.replace(/ \\\n\s*/g, ' ')).toContain(text);
    const list = await account('pods list --fields id,cmd,args');
    expect([list.out.includes('***'), list.out.includes('secret')]).toEqual([true, false]);
    const dry = await account(created.replace(' -- ', ' --dry-run -- '), TERMINAL);
    expect(dry.out + dry.err).not.toContain('secret-');
    const plan = await account('plan -', {
      stdin: `kind: pod\nname: q\nimage: a/b\ngpu: {id: GPU-80G}\ncmd: [x, --token, secret-7]\n`,
    });
    expect(plan.out).not.toContain('secret-');
    expect((await account(`pods get ${id} --show-secrets`, TERMINAL)).out).toContain('secret-1');
    const { cmd } = JSON.parse(await local(account, `pods get ${id} --json`)) as { cmd: readonly string[] };
    expect(cmd).toEqual(words);
  });

  test('are hidden in a dry run on a terminal, and stay in one that is piped or asked for as JSON', async () => {
    const account = createAccount();
    const dry = 'endpoints update echo --env HF_TOKEN=hf-value --dry-run';
    const { out } = await account(dry, TERMINAL);
    expect(out).not.toMatch(VALUES);
    expect(out).toMatch(/"HF_TOKEN": "\*\*\*"/);
    const shown = await account(`${dry} --show-secrets`, TERMINAL);
    expect(shown.out).toMatch(/"HF_TOKEN": "hf-value"/);
    for (const ran of [await account(dry), await account(`${dry} --json`, TERMINAL)]) {
      expect(JSON.parse(ran.out)).toMatchObject({ body: { env: { HF_TOKEN: 'hf-value' } } });
    }
  });

  test('are hidden in a dry run of apply, whose output is kept in the logs of CI, unless --show-secrets is given', async () => {
    const stdin =
      'kind: pod\nname: p\nimage: i\ngpu: {id: GPU-24G}\nenv: {HF_TOKEN: hf-value}\n---\n' +
      'kind: registry\nname: r\nusername: u\npassword: hidden-password\n';
    for (const tty of [{ stdout: true, stderr: true }, { stdout: true }, {}]) {
      const { code, out, err } = await createAccount()('apply - --dry-run', { stdin, tty });
      expect([code, out + err], err).toEqual([0, expect.not.stringMatching(/hf-value|hidden-password/) as string]);
    }
    const shown = await createAccount()('apply - --dry-run --show-secrets', { stdin });
    expect(shown.out).toContain('"HF_TOKEN": "hf-value"');
    expect(shown.out + shown.err).not.toContain('hidden-password');
  });

  test('are hidden in the changes of a release', async () => {
    const account = createAccount();
    await local(account, 'endpoints update echo --env HF_TOKEN=hf-value');
    const { out } = await account('endpoints releases echo', TERMINAL);
    expect(out).toContain('"HF_TOKEN":"***"');
    expect(out).not.toMatch(VALUES);
  });
});

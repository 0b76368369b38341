export type Section = ReadonlyMap<string, string>;

export interface SharedFiles {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Empty when there is none. */
  readonly home: string;
  readonly readText: (path: string) => Promise<string | undefined>;
}

/** Returns a variable; an empty one counts as absent. */
export function variable(env: SharedFiles['env'], name: string): string | undefined {
  const text = env[name]?.trim();
  return text === undefined || text === '' ? undefined : text;
}

export const profileName = (env: SharedFiles['env']): string => variable(env, 'AWS_PROFILE') ?? 'default';

/** Reads the profile of `~/.aws/config`; empty without the file or the profile. Fails as `readText` does. */
export function readConfig(files: SharedFiles): Promise<Section> {
  const profile = profileName(files.env);
  return readSection(files, 'AWS_CONFIG_FILE', 'config', [`profile ${profile}`, profile]);
}

/** Reads the profile of `~/.aws/credentials`; empty without the file or the profile. Fails as `readText` does. */
export const readStoredCredentials = (files: SharedFiles): Promise<Section> =>
  readSection(files, 'AWS_SHARED_CREDENTIALS_FILE', 'credentials', [profileName(files.env)]);

async function readSection(
  { env, home, readText }: SharedFiles,
  name: string,
  file: string,
  sections: readonly string[],
): Promise<Section> {
  const given = variable(env, name);
  if (given === undefined && home === '') return new Map();
  const text = await readText(given ?? `${home}/.aws/${file}`);
  const all = parseSections(text ?? '');
  return sections.map((section) => all.get(section)).find((section) => section !== undefined) ?? new Map();
}

/** `#` or `;` begins a comment at a line's start or after white space. Skips indented (nested) settings. */
function parseSections(text: string): ReadonlyMap<string, Section> {
  const sections = new Map<string, Map<string, string>>();
  let current: Map<string, string> | undefined;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    const content = line.replace(/(^|\s)[#;].*$/, '').trimEnd();
    const header = /^\[([^\]]+)\]$/.exec(content)?.[1];
    const [, name, setting] = /^([^\s=][^=]*?)\s*=\s*(.*)$/.exec(content) ?? [];
    if (header !== undefined) {
      const title = header.trim().replace(/\s+/g, ' ');
      current = sections.get(title) ?? new Map<string, string>();
      sections.set(title, current);
    } else if (name !== undefined && setting !== undefined && setting !== '') current?.set(name.toLowerCase(), setting);
  }
  return sections;
}

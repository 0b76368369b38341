/** Collects the licence texts of the bundled packages from the metafile of the bundler. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/** Returns the folders, relative to the project, of the packages with at least one byte in the outputs. */
export function bundledPackages(metafile) {
  const folders = Object.values(metafile.outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .flatMap(([input]) => PACKAGE.exec(input)?.[1] ?? []);
  return [...new Set(folders)].sort();
}

/** Returns one text with a section per package. Throws when a package has no licence, because it must not be distributed. */
export async function licenceTexts(root, folders) {
  const parts = await Promise.all(folders.map((folder) => licenceOf(path.join(root, folder))));
  const rule = '-'.repeat(80);
  return ['berth includes the packages below, each under its own licence.', ...parts].join(`\n\n${rule}\n\n`) + '\n';
}

async function licenceOf(folder) {
  const described = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
  const { name, version, author } = described;
  const license = described.license ?? described.licenses?.map(({ type }) => type).join(' OR ');
  if (!license) throw new Error(`${name} states no licence`);
  const file = (await readdir(folder)).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  const by = typeof author === 'string' ? author : author?.name;
  const text = file
    ? await readFile(path.join(folder, file), 'utf8')
    : `The package carries no licence text${by ? `; its author is ${by}` : ''}.`;
  return `${name} ${version} (${license})\n\n${text.trim()}`;
}

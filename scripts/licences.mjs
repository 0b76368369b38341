/** The licence texts of what a bundle holds, found through the bundler's own account of its inputs. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/** Folders, relative to the project, of the packages that left at least a byte in the outputs. */
export function bundledPackages(metafile) {
  const folders = Object.values(metafile.outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .flatMap(([input]) => PACKAGE.exec(input)?.[1] ?? []);
  return [...new Set(folders)].sort();
}

/** One text with a part for each package. Throws where a package states no licence: it must not be passed on then. */
export async function licenceTexts(root, folders) {
  const parts = await Promise.all(folders.map((folder) => licenceOf(path.join(root, folder))));
  const rule = '-'.repeat(80);
  return ['berth includes the packages below, each under its own licence.', ...parts].join(`\n\n${rule}\n\n`) + '\n';
}

async function licenceOf(folder) {
  const { name, version, license, author } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
  if (!license) throw new Error(`${name} states no licence`);
  const file = (await readdir(folder)).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  const by = typeof author === 'string' ? author : author?.name;
  const text = file
    ? await readFile(path.join(folder, file), 'utf8')
    : `The package carries no licence text${by ? `; its author is ${by}` : ''}.`;
  return `${name} ${version} (${license})\n\n${text.trim()}`;
}

/**
 * The tool that makes executables: Bun, from npm. It has 50 MB for each platform, so it is no dependency of this project: a build
 * of executables downloads what it needs, and accepts only the bytes that are named here.
 */
import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

const VERSION = '1.4.5';

/** The folder of downloaded tools: BERTH_BINARY_TOOLS, or dist-binary/tools. */
export const TOOLS = path.resolve(
  process.env.BERTH_BINARY_TOOLS ?? fileURLToPath(new URL('../../dist-binary/tools', import.meta.url)),
);

/**
 * The platforms of executables, by the names that Node gives them. `tool` is the name that the tool gives a platform. For x64
 * it is the variant that also runs on processors without AVX2.
 */
export const TARGETS = {
  'linux-x64': {
    package: '@oven/bun-linux-x64-baseline',
    tool: 'bun-linux-x64-baseline',
    integrity: 'sha512-s8yMwYcFnnrA178gji0gZbkE2WVDej/Ti1x770oPfihxyRxSMNhGhiAQNXV53aDeraZxksdvKV/RAdQBCd0qPA==',
  },
  'linux-arm64': {
    package: '@oven/bun-linux-aarch64',
    tool: 'bun-linux-arm64',
    integrity: 'sha512-4BXmsSKnjOrlGWqZV4x/oWa7AVoR+B6lCXddMzOAXBIm3t50eslg9wb66gmtW1AamEQ1l1CDvmmruysEhqOWMg==',
  },
  'darwin-x64': {
    package: '@oven/bun-darwin-x64',
    tool: 'bun-darwin-x64',
    integrity: 'sha512-qkLPMGHZM9NI6CeHTWwVezzmlo6cC4Ta7yUAjYIWXS366qQcOlcp75t2uZyiuVRBMPS0h9qE0tCcvCHGaFqjJg==',
  },
  'darwin-arm64': {
    package: '@oven/bun-darwin-aarch64',
    tool: 'bun-darwin-arm64',
    integrity: 'sha512-4MIFXHmctH2EhAxLXm2/qxNtv17dFtLJylvaOCsrgq6KSqHTs6eW5YSrJjRbJxYUJaR901fsN8JfZOa+CsWpWQ==',
  },
  'win32-x64': {
    package: '@oven/bun-windows-x64-baseline',
    tool: 'bun-windows-x64-baseline',
    integrity: 'sha512-/U3Dc74uGqE6EUqef7mPtg9KwJs7iJH4JHRMfIZIn18MrJh6Xz4gVvWDXRvzCL2j8wPlTnJVyrO4n7Qq4uM7TQ==',
  },
};

export const HERE = `${process.platform}-${process.arch}`;

/** That the tool cannot be downloaded, so that there can be no executable. */
export class ToolMissing extends Error {}

/**
 * Returns the path of the tool for a platform. Downloads it into `folder`, unless it is there already. Fails with ToolMissing
 * when it cannot be downloaded, and with another error when it is not the one that is named here.
 */
export async function fetchTool(folder, target) {
  const known = TARGETS[target];
  if (known === undefined) throw new ToolMissing(`there is no tool for ${target}`);
  const name = `${known.package.slice('@'.length).replace('/', '-')}-${VERSION}`;
  const program = path.join(folder, name, 'bin', target.startsWith('win32') ? 'bun.exe' : 'bun');
  if (existsSync(program)) return program;
  await mkdir(folder, { recursive: true });
  await download(`${known.package}@${VERSION}`, folder);
  const archive = path.join(folder, `${name}.tgz`);
  const integrity = `sha512-${hash('sha512', await readFile(archive), 'base64')}`;
  if (integrity !== known.integrity) throw new Error(`${archive} is not the expected file: its digest is ${integrity}`);
  const unpacked = path.join(folder, `${name}.${process.pid}.new`);
  await mkdir(unpacked);
  await run('tar', ['-xzf', archive, '-C', unpacked, '--strip-components=1']);
  // Renamed when it is complete: an interrupted run leaves nothing that looks like a tool.
  await rename(unpacked, path.join(folder, name));
  await rm(archive);
  return program;
}

async function download(spec, folder) {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  try {
    // npm has limits of its own on a connection that is silent.
    await run(npm, ['pack', spec, '--loglevel=error', '--fetch-retries=0', '--pack-destination', folder], {
      shell: npm === 'npm.cmd',
    });
  } catch (error) {
    throw new ToolMissing(`npm cannot download ${spec}: ${error.stderr || error.message}`);
  }
}

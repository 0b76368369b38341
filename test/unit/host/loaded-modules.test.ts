import { build, type Metafile } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';

/** The version in the user agent comes from this file. The build replaces it by a text. */
const MANIFEST = 'package.json';

/** The modules that are loaded together with a module: itself and its static imports, without dynamic imports. */
function loadedWith(metafile: Metafile, entry: string): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (path: string): void => {
    if (found.has(path)) return;
    found.add(path);
    for (const imported of metafile.inputs[path]?.imports ?? [])
      if (imported.kind !== 'dynamic-import') visit(imported.path);
  };
  visit(entry);
  return found;
}

describe('the modules that every command loads', () => {
  let metafile: Metafile;
  beforeAll(async () => {
    const built = await build({
      entryPoints: ['src/host/context.ts'],
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      write: false,
      outdir: 'unused',
      splitting: true,
      metafile: true,
      logLevel: 'error',
    });
    ({ metafile } = built);
  });

  it('do not include a package for creating a Context', () => {
    const loaded = [...loadedWith(metafile, 'src/host/context.ts')];
    const outside = loaded.filter((path) => !path.startsWith('src/') && !path.startsWith('node:'));
    expect(outside.filter((path) => path !== MANIFEST)).toEqual([]);
    expect(loaded.filter((path) => path.startsWith('src/local/'))).toEqual([]);
    expect(loaded.filter((path) => path.startsWith('src/http/') && path !== 'src/http/transport.ts')).toEqual([]);
  });

  it('include only the version from package.json', () => {
    const bytes = Object.values(metafile.outputs).map(({ inputs }) => inputs[MANIFEST]?.bytesInOutput ?? 0);
    expect(Math.max(...bytes)).toBeLessThan(40);
  });

  it.each(['src/http/api.ts', 'src/http/wire/client.ts', 'src/http/trace.ts'])(
    'is nothing of the local service for %s',
    (entry) => {
      const loaded = [...loadedWith(metafile, entry)];
      expect(loaded).toContain(entry);
      expect(
        loaded.filter((path) => path.startsWith('src/local/') || path === 'src/host/connection/local-transport.ts'),
      ).toEqual([]);
    },
  );
});

/** The software bill of materials (CycloneDX, JSON) of dist/: the packages whose code is in it, from the metafile of the bundler. */
import { cyclonedxEsbuildPlugin } from '@cyclonedx/cyclonedx-esbuild';

export const BILL_OF_MATERIALS = 'sbom.cdx.json';

/** A plugin of the bundler that writes the bill to a path. It has no time and no random number: two builds give the same bytes. */
export const billOfMaterials = (outputFile) =>
  cyclonedxEsbuildPlugin({
    specVersion: '1.6',
    outputFile,
    outputReproducible: true,
    validate: true,
    logLevel: 'silent',
  });

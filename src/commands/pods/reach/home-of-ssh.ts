import type { CommandContext } from '../../../cli/model/context.ts';

/**
 * The home folder of this user by the environment; undefined where there is none. On Windows that is the profile of the user, also
 * where a shell sets HOME to another folder, as ssh has it. Elsewhere ssh has that of the system: see `Spawn.accountHome`.
 */
export function homeOfSsh({ env, platform }: Pick<CommandContext, 'env' | 'platform'>): string | undefined {
  const names = platform === 'win32' ? ['USERPROFILE', 'HOME'] : ['HOME', 'USERPROFILE'];
  return names.map((name) => env[name]).find((home) => home !== undefined && home !== '');
}

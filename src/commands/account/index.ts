import { noun } from '../../cli/resource/noun.ts';
import { balance, limits, show } from './account.ts';
import { sshKeys } from './ssh-keys.ts';

export const account = noun('your account: balance, limits, SSH keys', { show, balance, limits, 'ssh-keys': sshKeys });

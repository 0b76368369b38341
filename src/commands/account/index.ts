import { defineGroup } from '../../cli/model/command.ts';
import { sshKeys } from './ssh-keys.ts';

export const account = defineGroup('your account: its SSH keys', { 'ssh-keys': sshKeys });

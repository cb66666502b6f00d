import type { Shop } from '../../../../shared/config/connector-config.ts';
import type { PlatformCommands } from '../../../../shared/core/platform/platform.ts';
import { COMMANDS } from '../../../../shared/services/platforms.ts';

export type PlatformShop = Pick<Shop, 'platform'>;

export const commandsOf = ({ platform }: PlatformShop): PlatformCommands => COMMANDS[platform];

import {
  EventBus,
  PluginCommonModule,
  ProcessContext,
  TransactionalConnection,
  type Type,
  VendurePlugin,
} from '@vendure/core';
import { LoyaltyOutbox } from './outbox.ts';
import { recordChanges } from './record-changes.ts';
import { type Receiver, sendChanges } from './send-changes.ts';

/** Undefined is for variables of the environment: the server says at its start what is missing. */
export interface LoyaltyConnectorOptions {
  /** The connector's webhook address with the path of the shop. */
  readonly address: string | undefined;
  /** At least 32 characters, the same as the connector's webhook secret. */
  readonly secret: string | undefined;
  /** Its code: only changes of what is in this channel are sent. Default: all. */
  readonly channel?: string | undefined;
}

let options: LoyaltyConnectorOptions | undefined;

/** All faults together, in the words of the options. */
export function checkOptions(given: LoyaltyConnectorOptions | undefined): Receiver {
  const { address = '', secret = '', channel } = given ?? {};
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isAddress = /^https?:$/.test(url?.protocol ?? '') && url?.pathname !== '/';
  const isSecret = secret.length >= 32 && secret.trim() === secret;
  const faults = [
    !isAddress && 'address must be the webhook address of the connector with the path of the shop',
    !isSecret && 'secret must have at least 32 characters, and no white space around them',
    channel === '' && 'channel must be the code of a channel, or be left out',
  ].filter(Boolean);
  if (faults.length > 0) throw new Error(`LoyaltyConnectorPlugin.init: ${faults.join('; ')}`);
  return { address: address.replace(/\/+$/, ''), secret, channel };
}

/** The server calls both. */
function createConnector(
  eventBus: EventBus,
  connection: TransactionalConnection,
  process: ProcessContext,
) {
  let sender: ReturnType<typeof sendChanges> | undefined;
  return {
    onApplicationBootstrap(): void {
      const receiver = checkOptions(options);
      recordChanges(eventBus, connection);
      // Workers record what their jobs change; the server sends.
      if (process.isServer) sender = sendChanges(connection, receiver);
    },
    beforeApplicationShutdown: () => sender?.stop(),
  };
}

/** Stores what changed beside the change itself, and tells the connector until it has heard. */
// biome-ignore lint/complexity/noStaticOnlyClass: Vendure takes a class as a plugin.
export class LoyaltyConnectorPlugin {
  static init(given: LoyaltyConnectorOptions): Type<LoyaltyConnectorPlugin> {
    options = given;
    return LoyaltyConnectorPlugin;
  }
}

VendurePlugin({
  imports: [PluginCommonModule],
  entities: [LoyaltyOutbox],
  providers: [
    {
      provide: 'loyalty-connector',
      useFactory: createConnector,
      inject: [EventBus, TransactionalConnection, ProcessContext],
    },
  ],
  compatibility: '^3.6.4',
})(LoyaltyConnectorPlugin);

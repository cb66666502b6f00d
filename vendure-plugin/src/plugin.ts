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

export interface LoyaltyConnectorOptions extends Receiver {
  /** The code of the channel whose changes are sent. Default: those of all channels. */
  readonly channel?: string;
}

let options: LoyaltyConnectorOptions | undefined;

class LoyaltyConnector {
  #sender: ReturnType<typeof sendChanges> | undefined;
  readonly #eventBus: EventBus;
  readonly #connection: TransactionalConnection;
  readonly #process: ProcessContext;

  constructor(eventBus: EventBus, connection: TransactionalConnection, process: ProcessContext) {
    this.#eventBus = eventBus;
    this.#connection = connection;
    this.#process = process;
  }

  onApplicationBootstrap(): void {
    if (!options)
      throw new Error('LoyaltyConnectorPlugin.init({ address, secret }) was not called');
    recordChanges(this.#eventBus, this.#connection, options.channel);
    // Workers record what their jobs change; the server sends.
    if (this.#process.isServer) this.#sender = sendChanges(this.#connection, options);
  }

  beforeApplicationShutdown(): void {
    this.#sender?.stop();
  }
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
      provide: LoyaltyConnector,
      useFactory: (...given: ConstructorParameters<typeof LoyaltyConnector>) =>
        new LoyaltyConnector(...given),
      inject: [EventBus, TransactionalConnection, ProcessContext],
    },
  ],
  compatibility: '^3.6.0',
})(LoyaltyConnectorPlugin);

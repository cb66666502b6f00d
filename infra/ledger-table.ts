import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  ProjectionType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import type { DataKey } from './data-key.ts';

/** shared/aws/ledger-item.ts uses the same name; a test compares them. */
const CODES_INDEX = 'codes-of-discount';

/** The state that was applied last, per entity. */
export class LedgerTable extends Construct {
  readonly table: Table;
  readonly codesIndexArn: string;
  readonly codesIndexName = CODES_INDEX;

  constructor(
    scope: Construct,
    id: string,
    props: { readonly retainData: boolean; readonly dataKey: DataKey | undefined },
  ) {
    super(scope, id);
    this.table = new Table(this, 'Table', {
      partitionKey: { name: 'entity', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      ...(props.dataKey && {
        encryption: TableEncryption.CUSTOMER_MANAGED,
        encryptionKey: props.dataKey.key,
      }),
      timeToLiveAttribute: 'expiresAt',
      deletionProtection: props.retainData,
      removalPolicy: props.retainData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    this.table.addGlobalSecondaryIndex({
      indexName: CODES_INDEX,
      partitionKey: { name: 'd', type: AttributeType.STRING },
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: ['c'],
    });
    this.codesIndexArn = `${this.table.tableArn}/index/${CODES_INDEX}`;
  }
}

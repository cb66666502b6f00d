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

/** shared/aws/ledger-item.ts uses the same names; a test compares them. */
const CODES_INDEX = 'codes-of-discount';
const LETTERS_INDEX = 'letters';

/** The state that was applied last, per entity. */
export class LedgerTable extends Construct {
  readonly table: Table;
  readonly codesIndexArn: string;
  readonly codesIndexName = CODES_INDEX;
  readonly lettersIndexArn: string;

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
    // CloudFormation adds one index per update: the next release can have another one.
    this.table.addGlobalSecondaryIndex({
      indexName: LETTERS_INDEX,
      partitionKey: { name: 'l', type: AttributeType.STRING },
      sortKey: { name: 't', type: AttributeType.STRING },
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: ['m', 'f', 'expiresAt'],
    });
    this.lettersIndexArn = `${this.table.tableArn}/index/${LETTERS_INDEX}`;
    this.codesIndexArn = `${this.table.tableArn}/index/${CODES_INDEX}`;
  }
}

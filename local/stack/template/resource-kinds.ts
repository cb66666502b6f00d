/**
 * What the template describes and this machine has no use for. Listed one by one: a kind that is in
 * neither list stops the start, because what is silently left out would only be missed when deployed.
 */
export const NOT_RUN_HERE: ReadonlySet<string> = new Set([
  // Watched by people, not by the functions.
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::CompositeAlarm',
  'AWS::CloudWatch::Dashboard',
  'AWS::Logs::MetricFilter',
  // Of the alarms. A queue or a table with a key of its own is not understood: see describe-data.ts.
  'AWS::KMS::Alias',
  'AWS::KMS::Key',
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  'AWS::SNS::TopicPolicy',
  // A name in front of the same address, and how much may pass through it.
  'AWS::ApiGatewayV2::ApiMapping',
  'AWS::ApiGatewayV2::DomainName',
  'AWS::ApiGatewayV2::Stage',
  // How often a failed call of a schedule is repeated; a schedule here simply comes again.
  'AWS::Lambda::EventInvokeConfig',
  'AWS::CDK::Metadata',
]);

import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';

/** Where alarms go. Each address confirms its subscription once, by the mail that AWS sends it. */
export class AlarmTopic extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, props: { readonly emails: readonly string[] }) {
    super(scope, id);
    this.topic = new Topic(this, 'Topic', { enforceSSL: true });
    for (const email of props.emails) this.topic.addSubscription(new EmailSubscription(email));
  }
}

export { type KafkaBus, type KafkaBusOptions, kafkaBus } from './bus.ts';
export { type KafkaConnection, kafkaConnection } from './settings.ts';
export {
  type PreparedTopics,
  type PrepareTopicsOptions,
  parkedTopic,
  prepareTopics,
  topicSettings,
} from './topics.ts';

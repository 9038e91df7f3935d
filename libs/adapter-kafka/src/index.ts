export { type KafkaBus, type KafkaBusOptions, type KafkaTuning, kafkaBus } from './bus.ts';
export { type KafkaConnection, kafkaConnection } from './settings.ts';
export {
  type PreparedTopics,
  type PrepareTopicsOptions,
  parkedTopic,
  prepareTopics,
  type TopicSettings,
  topicSettings,
} from './topics.ts';

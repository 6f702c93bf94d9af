class Consumer {
  void start() {
    props.put("heartbeat.interval.ms", "4000");
    props.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, 20000);
    props.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, -1);
    pool.setMaxLifetime(0);
  }
}

package org.example;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.util.concurrent.TimeUnit;

/** Pools of the application. */
public final class DataSources {

    private DataSources() {}

    /** Few connections, all kept. */
    public static HikariDataSource main(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(8);
        config.setConnectionTimeout(TimeUnit.SECONDS.toMillis(5));
        config.setValidationTimeout(2_000);
        config.setMaxLifetime(TimeUnit.MINUTES.toMillis(9));
        config.setKeepaliveTime(TimeUnit.MINUTES.toMillis(1));
        return new HikariDataSource(config);
    }

    /** One connection for the migrations, however long they take. */
    public static HikariDataSource migrations(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(1);
        config.setConnectionTimeout(0);
        config.setMaxLifetime(0);
        config.setKeepaliveTime(0);
        return new HikariDataSource(config);
    }
}

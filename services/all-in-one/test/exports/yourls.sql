-- MySQL dump 10.13  Distrib 8.0.36; it's "quoted" (here)
/*!40101 SET NAMES utf8mb4 */;
DROP TABLE IF EXISTS `yourls_options`;
CREATE TABLE `yourls_url` (
  `keyword` varchar(100) COLLATE utf8mb4_bin NOT NULL DEFAULT '',
  `url` text COLLATE utf8mb4_bin NOT NULL
) ENGINE=InnoDB;
INSERT INTO `yourls_options` VALUES (1,'version','a;b'),(2,'x','INSERT INTO `yourls_url` VALUES (\'Y-no\')');
INSERT INTO `yourls_url` VALUES ('Y-one','https://www.wikipedia.org/wiki/O\'Hara','It''s; (a) title, \\','2019-06-07 08:09:10','203.0.113.9',77),
('Y-two','https://www.wikipedia.org/wiki/Y2',NULL,'2018-01-02 03:04:05','203.0.113.9',0);
INSERT INTO `yourls_url` (`url`, `keyword`, `clicks`) VALUES ('https://www.wikipedia.org/wiki/Y3', 'Y-three', 3), ('ftp://example.com/', 'Y-ftp', 1);

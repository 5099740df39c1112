CREATE TABLE "directory_embeddings" (
	"listing_id" text PRIMARY KEY NOT NULL,
	"model" text,
	"hash" text,
	"dimensions" integer,
	"vector" "bytea",
	"made_at" timestamp with time zone,
	"due_at" timestamp with time zone,
	"problem" text
);
--> statement-breakpoint
CREATE TABLE "tool_embeddings" (
	"listing_id" text PRIMARY KEY NOT NULL,
	"model" text,
	"hash" text,
	"dimensions" integer,
	"vector" "bytea",
	"made_at" timestamp with time zone,
	"due_at" timestamp with time zone,
	"problem" text
);
--> statement-breakpoint
ALTER TABLE "directory_embeddings" ADD CONSTRAINT "directory_embeddings_listing_id_directories_id_fk" FOREIGN KEY ("listing_id") REFERENCES "public"."directories"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tool_embeddings" ADD CONSTRAINT "tool_embeddings_listing_id_tools_id_fk" FOREIGN KEY ("listing_id") REFERENCES "public"."tools"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "directory_embeddings_due" ON "directory_embeddings" USING btree ("due_at") WHERE "directory_embeddings"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "tool_embeddings_due" ON "tool_embeddings" USING btree ("due_at") WHERE "tool_embeddings"."due_at" is not null;
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <unistd.h>
#include <signal.h>
#include <time.h>
pthread_mutex_t m; void*w(void*a){pthread_mutex_lock(&m);return 0;} void*v(void*a){int r=pthread_mutex_lock(&m); if(r==EOWNERDEAD){pthread_mutex_consistent(&m);} else if(r) return (void*)1; pthread_mutex_unlock(&m); return 0;}
int main(){pthread_mutexattr_t a;pthread_mutexattr_init(&a);pthread_mutexattr_setrobust(&a,PTHREAD_MUTEX_ROBUST);pthread_mutex_init(&m,&a);pthread_t t,u;pthread_create(&t,0,w,0);pthread_create(&u,0,v,0);void*r;pthread_join(u,&r);pthread_join(t,0);return r!=0;}
